#!/usr/bin/env node
import { VERSION } from '../host/version.ts';
import { type Command, EXIT, type Terminal, UsageError } from './command.ts';

// Each command is loaded when it is called: start-up time is part of the product.
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  stdio: async () => (await import('./stdio.ts')).stdio,
  list: async () => (await import('./list.ts')).list,
  call: async () => (await import('./call.ts')).call,
  read: async () => (await import('./read.ts')).read,
  prompt: async () => (await import('./prompt.ts')).prompt,
};

const terminal: Terminal = {
  print: (text) => process.stdout.write(`${text}\n`),
  say: (text) => process.stderr.write(`${text}\n`),
  env: process.env,
};

async function main([name, ...rest]: readonly string[]): Promise<number> {
  if (name === '--version' || name === '-v') return printed(VERSION);
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') return help(rest[0]);
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) return misused(`Unknown command: "${name}"`, 'parley help');
  const command = await load();
  if (rest[0] === '--help' || rest[0] === '-h') return printed(command.help);
  return command.run(rest, terminal).catch((error: unknown) => explain(name, error));
}

function explain(name: string, error: unknown): number {
  if (error instanceof UsageError || isParseError(error)) return misused(error.message, `parley help ${name}`);
  terminal.say(`parley ${name}: ${error instanceof Error ? error.message : String(error)}`);
  return EXIT.failed;
}

async function help(topic: string | undefined): Promise<number> {
  const load = topic !== undefined && Object.hasOwn(COMMANDS, topic) ? COMMANDS[topic] : undefined;
  if (load !== undefined) return printed((await load()).help);
  if (topic !== undefined) return misused(`Unknown command: "${topic}"`, 'parley help');
  const rows = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, open]) => `  ${name.padEnd(8)} ${(await open()).summary}`),
  );
  return printed(
    [
      'parley: serve tools, resources and prompts to every MCP client',
      '',
      'Usage: parley <command> [options]',
      '',
      ...rows,
      '',
      '`parley help <command>` says more. `parley --version` says which version this is.',
    ].join('\n'),
  );
}

function printed(text: string): number {
  terminal.print(text);
  return EXIT.ok;
}

function misused(message: string, remedy: string): number {
  terminal.say(`${message}\nSee: ${remedy}`);
  return EXIT.usage;
}

function isParseError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

process.exitCode = await main(process.argv.slice(2));
