export type Lane = 'quick' | 'slow';
export declare const SLOW: Readonly<Record<string, string>>;
export declare function testFiles(): readonly string[];
export declare function filesOf(lane: Lane): readonly string[];
