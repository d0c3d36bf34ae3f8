/** How many tools a subject offers; the first is always "echo". */
export const COUNT = Number(process.env.BENCH_TOOLS ?? 1);

/** Names for the tools beyond the first, which are listed and never called. */
export const OTHERS = Array.from({ length: COUNT - 1 }, (_, index) => `tool-${index + 1}`);

export const DESCRIPTION = 'Says back what it is given';
