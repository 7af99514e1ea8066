export interface Platform {
  readonly platform?: string;
  readonly arch?: string;
}

export function buildProgram(): string;
export function buildInnerProgram(): string;
export function packProgram(program: string, folder: string, platform?: Platform): string[];
export function formula(folder: string): string;
