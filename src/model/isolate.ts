/** How the processes of isolated items are made; what is left out is as the limits of the server say. */
export interface IsolateOptions {
  /** Names of environment variables to pass on, besides those that say where programs, files and languages are. */
  readonly env?: readonly string[];
  /** Most processes. Each has a memory of its own: what one call leaves behind, a call in another does not find. */
  readonly processes?: number;
  /** Most calls a process runs at once. They fail together if it crashes. */
  readonly calls?: number;
  /** Most memory of a process, in bytes. */
  readonly memoryBytes?: number;
  /** Most CPU time of a call. */
  readonly cpuMs?: number;
}

const NUMBERS = ['processes', 'calls', 'memoryBytes', 'cpuMs'] as const;
const LEAST_MEMORY = 96 * 1024 * 1024;

/** The options a switch stands for, if it is on. Throws `TypeError` or `RangeError` for others; `what` begins the message. */
export function isolateOf(given: boolean | IsolateOptions | undefined, what: string): IsolateOptions | undefined {
  if (given === undefined || given === false) return undefined;
  if (given === true) return {};
  if (typeof given !== 'object' || given === null) throw new TypeError(`${what}: isolate must be true or options`);
  const unknown = Object.keys(given).find((key) => key !== 'env' && !(NUMBERS as readonly string[]).includes(key));
  if (unknown !== undefined) throw new TypeError(`${what}: isolate has no option "${unknown}"`);
  checkNames(given.env, what);
  checkNumbers(given, what);
  return given;
}

function checkNumbers(given: IsolateOptions, what: string): void {
  for (const name of NUMBERS) {
    const value = given[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      throw new RangeError(`${what}: isolate.${name} must be a positive integer`);
    }
  }
  if (given.memoryBytes !== undefined && given.memoryBytes < LEAST_MEMORY) {
    throw new RangeError(`${what}: isolate.memoryBytes must be at least ${LEAST_MEMORY}: an empty process needs that`);
  }
}

function checkNames(names: readonly string[] | undefined, what: string): void {
  if (names === undefined) return;
  const fit = (name: unknown) => typeof name === 'string' && /^[^=\0]+$/.test(name);
  if (!Array.isArray(names) || !names.every(fit)) {
    throw new TypeError(`${what}: isolate.env must be a list of names of environment variables`);
  }
}
