import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** What the heap may grow by, whatever the inputs, before it counts as growing. */
const SLACK = 4 * 1024 * 1024;
/** And for every input. */
const SLACK_EACH = 2;

/** Fewer samples than this say nothing. */
const LEAST_SAMPLES = 6;

interface Sample {
  readonly inputs: number;
  readonly bytes: number;
}

/** The heap after a collection, looked at again and again. */
export class HeapWatch {
  readonly #samples: Sample[] = [];

  sample(inputs: number): void {
    gc();
    this.#samples.push({ inputs, bytes: process.memoryUsage().heapUsed });
  }

  /** Bytes an input left behind: the slope of the line through the later half of the samples, if there are enough. */
  get slope(): number | undefined {
    return this.#samples.length < LEAST_SAMPLES ? undefined : this.#slope();
  }

  #slope(): number {
    const late = this.#late();
    const mean = (pick: (sample: Sample) => number): number =>
      late.reduce((sum, one) => sum + pick(one), 0) / late.length;
    const x = mean(({ inputs }) => inputs);
    const y = mean(({ bytes }) => bytes);
    const spread = late.reduce((sum, one) => sum + (one.inputs - x) ** 2, 0);
    return spread === 0 ? 0 : late.reduce((sum, one) => sum + (one.inputs - x) * (one.bytes - y), 0) / spread;
  }

  /** Why the heap does not count as flat, if it does not. */
  get trouble(): string | undefined {
    const { slope } = this;
    if (slope === undefined) return undefined;
    const late = this.#late();
    const inputs = (late.at(-1)?.inputs ?? 0) - (late[0]?.inputs ?? 0);
    const growth = slope * inputs;
    if (growth <= SLACK + SLACK_EACH * inputs) return undefined;
    return `the heap grew by ${Math.round(growth / 1024)} KiB over the last ${inputs} inputs (${slope.toFixed(1)} bytes each)`;
  }

  #late(): readonly Sample[] {
    return this.#samples.slice(Math.floor(this.#samples.length / 2));
  }
}
