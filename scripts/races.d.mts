export declare function recordRaces(folder: string, names: readonly string[]): void;
export declare function overdueRaces(folder: string, now: number): readonly string[];
