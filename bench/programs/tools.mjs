// The tools every subject offers. BENCH_TOOLS says how many; those beyond the first four are listed and never called.

const COUNT = Number(process.env.BENCH_TOOLS ?? 4);

export const DESCRIPTION = 'Says back what it is given';
export const MEGABYTE = 'm'.repeat(1_000_000);
export const STEPS = 10;

/** What each tool does with its text. */
const WORK = {
  echo: (text) => text,
  measure: (text) => String(text.length),
  produce: () => MEGABYTE,
  steps: (text) => text,
};

const called = Object.keys(WORK);
const others = Array.from({ length: Math.max(0, COUNT - called.length) }, (_, index) => `tool-${index + 1}`);

/** Names of the tools, "echo" first. */
export const NAMES = [...called, ...others].slice(0, COUNT);

/** The schema of the input of a tool that is called, as JSON Schema. */
export const INPUT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

/** What people write for a tool: every property with a word on it. */
const listedInput = (name) => ({
  type: 'object',
  properties: {
    text: { type: 'string', description: `What ${name} is to work on, in plain text` },
    limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Most lines to give back' },
    format: { type: 'string', enum: ['plain', 'markdown'], description: 'How the answer is to look' },
  },
  required: ['text'],
});

/** The schema of the input of a tool, one of its own for each, as JSON Schema. */
export const inputOf = (name) => (Object.hasOwn(WORK, name) ? { ...INPUT } : listedInput(name));

/** The same with zod, which is given so that Parley and the floor need not load it. */
export function zodInputOf(z, name) {
  if (Object.hasOwn(WORK, name)) return z.object({ text: z.string() });
  const { text, limit, format } = listedInput(name).properties;
  return z.object({
    text: z.string().describe(text.description),
    limit: z.number().int().min(1).max(100).describe(limit.description).optional(),
    format: z.enum(format.enum).describe(format.description).optional(),
  });
}

export const workOf = (name) => WORK[name] ?? WORK.echo;

/** The result of a tool in the shape most libraries want. */
export const resultOf = (name, text) => ({ content: [{ type: 'text', text: workOf(name)(text) }] });

/** Reports progress in so many steps. */
export async function walk(report) {
  for (let done = 1; done <= STEPS; done += 1) await report(done, STEPS);
}

/** Says where a subject listens, for whoever started it. */
export function announce(server) {
  server.listen(0, '127.0.0.1', () => console.log(`Serving at http://127.0.0.1:${server.address().port}/mcp`));
}
