/**
 * Runs ffmpeg and ffprobe on untrusted files. Demuxers are restricted to a whitelist, because FFmpeg detects the format
 * from the content, and some formats are lists of other files and URLs (HLS, DASH, concat, SDP, numbered images).
 */
import { lazily } from '../../../platform/lazily.js';
import { CodesRefusal } from '../errors.js';
import { collector, runTool, type Sink, ToolFailed, ToolMissing } from './process.js';
import type { ToolLimits } from './tool.js';

export interface FfmpegTools {
  /** Executable: a name on the PATH, or a path. */
  readonly ffmpeg: string;
  readonly ffprobe: string;
}

/** The configured executables. Loads on first use, because the variables' schemas take a large part of a worker's start. */
export const configuredTools = lazily(async (): Promise<FfmpegTools> => {
  const [{ codesVariables }, { givenEnvironment }, { readVariables }] = await Promise.all([
    import('../../../platform/config/codes.js'),
    import('../../../platform/config/env.js'),
    import('../../../platform/config/variable.js'),
  ]);
  const { ffmpeg, ffprobe } = codesVariables;
  return readVariables({ ffmpeg, ffprobe }, givenEnvironment());
});

export interface FfmpegOptions {
  readonly signal?: AbortSignal | undefined;
  readonly cwd?: string;
  readonly limits?: Partial<ToolLimits>;
  /** How a host decodes, where there is one. */
  readonly hosted?: HostedDecoding | undefined;
  /** Called with the position in the file, in seconds, while `ffmpeg` runs. */
  readonly onSeconds?: ((seconds: number) => void) | undefined;
}

/** The run fails if that could change the result, so that the caller can repeat it without. */
export interface HostedDecoding {
  readonly threads: number;
  /** What the decoder may leave out, in the words of `Plan::parse` in `crates/tool-host`. */
  readonly sampled: string;
}

/** FFmpeg or one of its filters is missing, so audio and video can't be processed. */
export class FfmpegMissing extends CodesRefusal {
  constructor(reason: string, options?: ErrorOptions) {
    super('FFMPEG_MISSING', { reason }, options);
  }
}

/** Self-contained formats. None of them opens another file. */
const FORMATS =
  'aac,ac3,aiff,amr,ape,asf,au,avi,caf,dirac,dsf,dts,dv,eac3,flac,flv,h261,h263,h264,hevc,ivf,m4v,matroska,mov,mp3,' +
  'mpc,mpc8,mpeg,mpegts,mpegvideo,mxf,nut,obu,ogg,rm,swf,tak,tta,vc1,voc,w64,wav,wv,xwma';

const LIMITS: ToolLimits = {
  // The worker has its own limit by file size. This one is for a program that outlives its worker.
  durationMaxMs: 3600_000,
  // A decoder keeps up to 17 frames; at 8192 x 4320 with 10 bits these need 1.8 GB.
  memoryMaxBytes: 3 * 1024 ** 3,
  // 86 bytes per frame signature: enough for 170 hours.
  fileMaxBytes: 256 * 1024 ** 2,
};

/** Decoders reject larger frames. */
const FRAME_PIXELS_MAX = 8192 * 8192;
const PROBE_OUTPUT_MAX_BYTES = 8 * 1024 ** 2;

/**
 * Arguments that open a file. The prefix `file:` prevents a colon in the path from being read as a protocol. One
 * thread: with more, damaged streams decode differently from run to run, see {@link HostedDecoding}.
 */
export function input(path: string): readonly string[] {
  return [...GUARDS, '-threads', '1', '-max_pixels', String(FRAME_PIXELS_MAX), '-i', `file:${path}`];
}

const GUARDS = ['-protocol_whitelist', 'file', '-format_whitelist', FORMATS];

/** Errors in a damaged stream do not fail the run: the decodable part is used. */
const GENERAL = '-nostdin -hide_banner -loglevel error -filter_threads 1 -max_error_rate 1'.split(' ');

/** Runs `ffmpeg` and passes its standard output to `sink`. */
export async function ffmpeg(
  tools: FfmpegTools,
  args: readonly string[],
  sink: Sink,
  { limits, onSeconds, hosted, ...options }: FfmpegOptions = {},
): Promise<void> {
  const all = [...GENERAL, ...(onSeconds ? PROGRESS : []), ...args];
  const onPair = (key: string, value: string) => {
    const seconds = Number(value) / 1e6;
    if (key === 'out_time_us' && Number.isFinite(seconds)) onSeconds?.(seconds);
  };
  const tool = {
    ...options,
    staysLoaded: true,
    limits: { ...LIMITS, ...limits },
    ...(hosted && { hostedArgs: hostedArguments(all, hosted), threads: hosted.threads }),
    ...(onSeconds && { onPair }),
  };
  await explained(runTool(tools.ffmpeg, all, sink, tool));
}

function hostedArguments(args: readonly string[], { threads, sampled }: HostedDecoding): readonly string[] {
  const at = args.indexOf('-threads') + 1;
  return [`isccd:sampled=${sampled}`, ...args.with(at, String(threads))];
}

/** Reports the position twice a second. */
const PROGRESS = ['-progress', 'pipe:2', '-stats_period', '0.5'];

/** Runs `ffprobe` on a file and returns its JSON. */
export async function ffprobe(
  tools: FfmpegTools,
  path: string,
  entries: string,
  { limits, onSeconds: _, hosted: __, ...options }: FfmpegOptions = {},
  extra: readonly string[] = [],
): Promise<unknown> {
  const output = collector(PROBE_OUTPUT_MAX_BYTES);
  const args = [
    '-hide_banner',
    '-loglevel',
    'error',
    '-show_entries',
    entries,
    '-of',
    'json',
    ...extra,
    ...input(path),
  ];
  const run = runTool(tools.ffprobe, args, output.sink, {
    ...options,
    staysLoaded: true,
    limits: { ...LIMITS, ...limits },
  });
  await explained(run);
  return JSON.parse(output.bytes().toString('utf8'));
}

/** Filters built into `ffmpeg`, queried once per executable. */
export function filters(tools: FfmpegTools): Promise<ReadonlySet<string>> {
  let known = filtersOf.get(tools.ffmpeg);
  if (known === undefined) {
    known = listFilters(tools);
    filtersOf.set(tools.ffmpeg, known);
    known.catch(() => filtersOf.delete(tools.ffmpeg));
  }
  return known;
}

const filtersOf = new Map<string, Promise<ReadonlySet<string>>>();

async function listFilters(tools: FfmpegTools): Promise<ReadonlySet<string>> {
  const output = collector(PROBE_OUTPUT_MAX_BYTES);
  await ffmpeg(tools, ['-filters'], output.sink);
  // " T.. signature        N->V       ..."
  const names = output
    .bytes()
    .toString('utf8')
    .matchAll(/^ [A-Z.]{2,3} (\S+)\s+\S*->/gm);
  return new Set([...names].map((match) => match[1] ?? ''));
}

async function explained(run: Promise<unknown>): Promise<void> {
  try {
    await run;
  } catch (error) {
    throw error instanceof ToolMissing ? new FfmpegMissing(NOT_INSTALLED, { cause: error }) : error;
  }
}

const NOT_INSTALLED =
  'Audio and video need FFmpeg, which is not installed: install it (on Debian: apt-get install -y ffmpeg) ' +
  'or set CODESDK_FFMPEG and CODESDK_FFPROBE.';

/** Maps the error of a run that needs `filter` to {@link FfmpegMissing} if `ffmpeg` was built without it. */
export async function withoutFilter(tools: FfmpegTools, filter: string, error: unknown): Promise<unknown> {
  if (!(error instanceof ToolFailed) || (await filters(tools)).has(filter)) return error;
  const reason = `Video needs an FFmpeg with the filter "${filter}"; the installed one was built without it.`;
  return new FfmpegMissing(reason, { cause: error });
}
