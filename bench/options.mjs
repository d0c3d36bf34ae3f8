import { parseArgs } from 'node:util';

const HELP = `Usage: npm run bench -- [options]

Measures what a request costs, beside the cheapest server there can be ("floor") and other makers' servers, prints a
table a work, and writes docs/benchmarks.md and docs/benchmarks.svg when everything was measured.

  --only WORK       Only works whose id has this in it, or is it when it ends in "$"; may be given several times
  --subject NAME    The same for subjects; the one all are compared with is always measured
  --list            Say which works and subjects there are, and end
  --quick           Few short rounds: enough to see that all is well, not to compare
  --force           Run although the machine is busy; only ratios of CPU are worth something then
  --record          Keep the ratios in bench/recorded.json for later checks
  --check           Compare with bench/recorded.json; fails when more than 15 % were lost, measured twice
  --profile         Profile the servers while they are measured: writes bench/profiles/<work>-<subject>.cpuprofile, which
                    Chrome and VS Code open, and prints the functions that took longest
  --dist FOLDER     Measure this build; nothing is built
  --json            The figures as JSON on stdout; everything else goes to stderr
  --help            This text

Examples:
  npm run bench -- --quick --only http-session$ --subject parley     is it about as fast as it was?
  npm run bench -- --check                                           before a release
  npm run bench -- --profile --only stdio-64 --subject parley        why is it not faster?`;

/** Rounds and times. A work may ask for rounds of its own, by the name of the plan. */
const PLANS = {
  full: { name: 'full', rounds: 15, ms: 200, warmMs: 1500 },
  quick: { name: 'quick', rounds: 2, ms: 300, warmMs: 500 },
  profile: { name: 'quick', rounds: 1, ms: 2500, warmMs: 1500, most: 1 },
};

/** What was asked for; `help` is the text to show instead of running. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      subject: { type: 'string', multiple: true, default: [] },
      dist: { type: 'string' },
      ...Object.fromEntries(
        ['list', 'quick', 'force', 'record', 'check', 'profile', 'json', 'help'].map((name) => [
          name,
          { type: 'boolean', default: false },
        ]),
      ),
    },
  });
  if (values.help) return { help: HELP };
  if (values.record && (values.quick || values.profile)) {
    throw new TypeError('Cannot record a quick or profiled run: its ratios would be noise. Leave --record out');
  }
  const plan = values.profile ? PLANS.profile : values.quick ? PLANS.quick : PLANS.full;
  return { ...values, help: undefined, plan };
}

/** Whether an id was asked for: by a part of it, or by all of it before a "$". */
export function isAsked(id, only) {
  return only.some((part) => (part.endsWith('$') ? id === part.slice(0, -1) : id.includes(part)));
}

/** The works that were asked for. */
export function chooseWorks(works, only) {
  const chosen = only.length === 0 ? works : works.filter(({ id }) => isAsked(id, only));
  if (chosen.length === 0) {
    throw new TypeError(
      `No work is called "${only.join('" or "')}": there are ${works.map(({ id }) => id).join(', ')}`,
    );
  }
  return chosen;
}
