export declare function knownSeconds(): Record<string, number>;
export declare function secondsOf(file: string, known: Record<string, number>): number;
export declare function slowest(seconds: Record<string, number>): string;
