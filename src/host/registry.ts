import type { Family, Sample } from '../transports/http/exposition.ts';

/** Says what a metric is called and which labels its series have. */
export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Most series; what comes later is counted under "other". */
  readonly limit?: number;
}

const SERIES = 2000;

type Branch<S> = Map<string, Branch<S> | S>;

/** One metric, with a series for each combination of label values. */
class Metric<S> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly all: { readonly values: readonly string[]; readonly series: S }[] = [];
  readonly #make: () => S;
  readonly #limit: number;
  readonly #root: Branch<S> = new Map();
  /** What was looked up last, which is often looked up next. */
  #last: { readonly values: readonly string[]; readonly series: S } | undefined;

  constructor({ name, help, labels = [], limit = SERIES }: MetricOptions, make: () => S) {
    this.name = name;
    this.help = help;
    this.labels = labels;
    this.#make = make;
    this.#limit = limit;
  }

  at(values: readonly string[]): S {
    const last = this.#last;
    if (last !== undefined && isSame(last.values, values)) return last.series;
    const series = this.#look(values);
    this.#last = { values, series };
    return series;
  }

  #look(values: readonly string[]): S {
    if (values.length !== this.labels.length) throw new TypeError(`Metric "${this.name}" has other labels`);
    return this.#find(values) ?? (this.all.length < this.#limit ? this.#add(values) : this.#others());
  }

  // Maps in maps: looking up strings the process already knows makes no new string.
  #find(values: readonly string[]): S | undefined {
    let node: Branch<S> | S | undefined = this.#root;
    for (const value of values) node = (node as Branch<S> | undefined)?.get(value);
    return node === this.#root ? this.all[0]?.series : (node as S | undefined);
  }

  #others(): S {
    const values = this.labels.map(() => 'other');
    return this.#find(values) ?? this.#add(values);
  }

  #add(values: readonly string[]): S {
    const series = this.#make();
    this.all.push({ values: [...values], series });
    values.reduce((branch, value, index) => {
      const next = index === values.length - 1 ? series : (branch.get(value) ?? new Map());
      branch.set(value, next);
      return next as Branch<S>;
    }, this.#root);
    return series;
  }

  pairs(values: readonly string[]): [string, string][] {
    return this.labels.map((label, index) => [label, values[index] ?? '']);
  }
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let at = 0; at < some.length; at += 1) if (some[at] !== others[at]) return false;
  return true;
}

class Numbers {
  readonly #type: Family['type'];
  readonly #metric: Metric<Float64Array>;

  constructor(type: Family['type'], options: MetricOptions) {
    this.#type = type;
    this.#metric = new Metric(options, () => new Float64Array(1));
    if (options.labels === undefined) this.#metric.at([]);
  }

  add(amount: number, ...values: string[]): void {
    const series = this.#metric.at(values);
    series[0] = (series[0] ?? 0) + amount;
  }

  set(amount: number, ...values: string[]): void {
    this.#metric.at(values)[0] = amount;
  }

  collect(): Family {
    const { name, help, all } = this.#metric;
    const samples = all.map(({ values, series }) => ({
      name,
      labels: this.#metric.pairs(values),
      value: series[0] ?? 0,
    }));
    return { name, help, type: this.#type, samples };
  }
}

class Histogram {
  readonly #metric: Metric<Float64Array>;
  readonly #bounds: Float64Array;

  constructor(options: MetricOptions, bounds: readonly number[]) {
    this.#bounds = Float64Array.from(bounds);
    // A slot for each bound, one for what is above them all, one for the sum.
    this.#metric = new Metric(options, () => new Float64Array(bounds.length + 2));
  }

  observe(value: number, ...values: string[]): void {
    const series = this.#metric.at(values);
    const bounds = this.#bounds;
    let slot = 0;
    while (slot < bounds.length && value > (bounds[slot] as number)) slot++;
    series[slot] = (series[slot] ?? 0) + 1;
    const sum = bounds.length + 1;
    series[sum] = (series[sum] ?? 0) + value;
  }

  collect(): Family {
    const { name, help, all } = this.#metric;
    return {
      name,
      help,
      type: 'histogram',
      samples: all.flatMap(({ values, series }) => this.#samples(this.#metric.pairs(values), series)),
    };
  }

  #samples(labels: readonly [string, string][], series: Float64Array): Sample[] {
    const { name } = this.#metric;
    const bounds = [...[...this.#bounds].map(String), '+Inf'];
    let count = 0;
    const buckets = bounds.map((bound, slot): Sample => {
      count += series[slot] ?? 0;
      return { name: `${name}_bucket`, labels: [...labels, ['le', bound]], value: count };
    });
    const sum = series[bounds.length] ?? 0;
    return [...buckets, { name: `${name}_sum`, labels, value: sum }, { name: `${name}_count`, labels, value: count }];
  }
}

export type Counter = Pick<Numbers, 'add'>;
export type Gauge = Pick<Numbers, 'add' | 'set'>;
export type { Histogram };

/** All metrics of a process. An update is a few map lookups and one addition. */
export class Registry {
  readonly #parts: { collect(): Family }[] = [];

  counter(options: MetricOptions): Counter {
    return this.#keep(new Numbers('counter', options));
  }

  gauge(options: MetricOptions): Gauge {
    return this.#keep(new Numbers('gauge', options));
  }

  /** Bounds rise; what is above the last is counted too. */
  histogram(options: MetricOptions, bounds: readonly number[]): Histogram {
    return this.#keep(new Histogram(options, bounds));
  }

  /** A number that is read when somebody asks. */
  read(type: 'counter' | 'gauge', { name, help }: MetricOptions, value: () => number): void {
    this.#keep({ collect: () => ({ name, help, type, samples: [{ name, labels: [], value: value() }] }) });
  }

  collect(): Family[] {
    return this.#parts.map((part) => part.collect());
  }

  #keep<P extends { collect(): Family }>(part: P): P {
    this.#parts.push(part);
    return part;
  }
}
