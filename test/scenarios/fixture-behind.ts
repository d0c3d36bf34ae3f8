import { createServer, type Server } from '../../src/catalog/server.ts';

/** Must never be seen by a client. */
export const SECRET = 'hunter2-/etc/planted/secret';

/** A door a tool waits at until the test opens it. */
export interface Gate {
  readonly entered: Promise<void>;
  open(): void;
}

/** The server every scenario talks to, and what a test may see and do behind its back. */
export interface Fixture {
  readonly server: Server;
  /** How often each side effect ran. */
  readonly ran: Map<string, number>;
  /** The signals of the calls to `wait`, by name. */
  readonly signals: Map<string, AbortSignal>;
  gate(name: string): Gate;
  /** What a tool does at a gate. */
  waitAt(name: string): Promise<void>;
  count(name: string): number;
  releaseAll(): void;
}

interface Door {
  entered: Promise<void>;
  enter(): void;
  opened: Promise<void>;
  open(): void;
}

function createDoor(): Door {
  let enter = (): void => {};
  let open = (): void => {};
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { entered, enter, opened, open };
}

/** A server with nothing on its shelves yet. */
export function createEmptyFixture(): Fixture {
  const server = createServer({
    name: 'fixture',
    version: '1.2.3',
    title: 'Fixture',
    description: 'Has one of everything',
    websiteUrl: 'https://example.org/',
    icons: [{ src: 'data:image/png;base64,AAAA', mimeType: 'image/png', sizes: ['48x48'] }],
    instructions: 'Ask for what you need',
  });
  const doors = new Map<string, Door>();
  const door = (name: string): Door => {
    const known = doors.get(name) ?? createDoor();
    doors.set(name, known);
    return known;
  };
  const ran = new Map<string, number>();
  return {
    server,
    ran,
    signals: new Map(),
    gate: (name) => ({ entered: door(name).entered, open: () => door(name).open() }),
    async waitAt(name) {
      door(name).enter();
      await door(name).opened;
    },
    count(name) {
      ran.set(name, (ran.get(name) ?? 0) + 1);
      return ran.get(name) as number;
    },
    releaseAll() {
      for (const { open } of doors.values()) open();
    },
  };
}
