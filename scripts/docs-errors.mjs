// `docs/errors.md`: prose by hand, one section a fault; the line below each heading comes from the code.

const HEADING = /^## (E_[A-Z_]+)$/;

/** Splits the document into what stands before the first section, and the sections. */
function split(text) {
  const sections = [];
  const intro = [];
  for (const line of text.split('\n')) {
    const code = HEADING.exec(line)?.[1];
    if (code !== undefined) sections.push({ code, lines: [] });
    else (sections.at(-1)?.lines ?? intro).push(line);
  }
  return { intro, sections };
}

const summary = ({ kind, says, ofTool = false }) =>
  `*${says}.* Kind: \`${kind}\`.${ofTool ? ' In a tool call it comes as a result, for the model to read.' : ''}`;

/** The document with every summary line as the code has it. */
export function fillErrors(text, faults) {
  const { intro, sections } = split(text);
  const filled = sections.map(({ code, lines }) => {
    const prose = lines.join('\n').trim().split('\n');
    if (/^\*[^*]/.test(prose[0] ?? '')) prose.shift();
    const first = faults[code] === undefined ? '' : `${summary(faults[code])}\n\n`;
    return `## ${code}\n\n${first}${prose.join('\n').trim()}\n`;
  });
  return `${intro.join('\n').trimEnd()}\n\n${filled.join('\n')}`;
}

/** What is wrong with the sections: missing, stale, twice, out of order, or without advice. */
export function errorProblems(text, faults) {
  const { sections } = split(text);
  const found = sections.map(({ code }) => code);
  const known = Object.keys(faults);
  const problems = [
    ...known.filter((code) => !found.includes(code)).map((code) => `no section for ${code}`),
    ...found.filter((code) => !known.includes(code)).map((code) => `section ${code} is about no fault`),
    ...found.filter((code, index) => found.indexOf(code) !== index).map((code) => `section ${code} stands twice`),
  ];
  if (problems.length === 0 && found.join() !== known.join())
    problems.push('the sections are not in the order of src/model/fault-codes.ts');
  for (const { code, lines } of sections) {
    const body = lines.join('\n');
    for (const part of ['What happened', 'What to do']) {
      if (!new RegExp(`^\\*\\*${part}\\.\\*\\* \\S`, 'm').test(body))
        problems.push(`section ${code} does not say "${part}"`);
    }
  }
  return problems;
}
