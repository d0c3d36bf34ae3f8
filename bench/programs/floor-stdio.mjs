// The floor on a pipe: read a chunk, split it into lines, parse, answer, one write an answer.

import { answerTo } from './floor.mjs';

let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.id !== undefined) process.stdout.write(`${answerTo(message)}\n`);
  }
});
