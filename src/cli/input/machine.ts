/** Versions of this program and of what it uses on this machine. */
import { execFile } from 'node:child_process';
import os from 'node:os';
import { promisify } from 'node:util';
import { native } from '../../native.js';
import { codesVariables } from '../../platform/config/codes.js';
import { environment } from '../../platform/config/env.js';
import { readVariables } from '../../platform/config/variable.js';
import { version } from '../../platform/version.js';
import { canDecodeHeif } from '../../services/codes/tools/heif.js';
import { canDecodeBySharp } from '../../services/codes/tools/sharp.js';

export interface Tool {
  readonly tool: string;
  readonly for: string;
  /** Absent if the tool is missing. */
  readonly version?: string;
}

/** @throws {AddonMissing} */
export function machine(): Readonly<Record<string, string>> {
  return { isccd: version, addon: native.version(), kernels: native.kernels(), ...system() };
}

/** What {@link machine} says without the addon. */
export function system(): Readonly<Record<string, string>> {
  return {
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cpu: `${os.cpus()[0]?.model.trim() ?? 'unknown'}, ${os.availableParallelism()} cores`,
  };
}

/** Programs and packages that decode files. */
export async function tools(): Promise<Tool[]> {
  const { ffmpeg, ffprobe } = codesVariables;
  const configured = readVariables({ ffmpeg, ffprobe }, environment());
  const programs: [string, string, string, RegExp, string[]][] = [
    ['ffmpeg', configured.ffmpeg, 'audio and video', /version (\S+)/, ['-version']],
    ['ffprobe', configured.ffprobe, 'audio and video', /version (\S+)/, ['-version']],
    ['perl', 'perl', 'writing metadata into images', /\(v([\d.]+)\)/, ['-v']],
  ];
  const found = await Promise.all(
    programs.map(async ([tool, program, purpose, pattern, args]): Promise<Tool> => {
      const output = await promisify(execFile)(program, args).catch(() => undefined);
      if (output === undefined) return { tool, for: purpose };
      return { tool, for: purpose, version: pattern.exec(output.stdout)?.[1] ?? 'unknown' };
    }),
  );
  const packages: Tool[] = [
    { tool: 'sharp', for: 'AVIF and unusual TIFF', ...(canDecodeBySharp() && { version: 'loads' }) },
    { tool: 'libheif-js', for: 'HEIC', ...(canDecodeHeif() && { version: 'loads' }) },
  ];
  return [...found, ...packages];
}
