import { relative } from 'node:path';
import { inspect } from 'node:util';

const indent = (text) => text.replaceAll(/^(?=.)/gm, '    ');

function failure({ name, file, line, details }) {
  const error = details.error?.cause ?? details.error;
  const place = file === undefined ? '' : ` (${relative('.', file)}${line === undefined ? '' : `:${line}`})`;
  return `  ✖ ${name}${place}\n${indent(inspect(error))}\n`;
}

/** A reporter for `node --test` that is silent about what passes. */
export default async function* reportFailures(events) {
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.details.error?.failureType !== 'subtestsFailed') yield failure(data);
    if (type === 'test:stderr' || type === 'test:stdout') yield data.message;
  }
}
