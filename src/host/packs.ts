import type { Provider } from '../catalog/provider.ts';

/** Every built-in pack, loaded when a configuration names it. */
export const PACKS: Readonly<Record<string, () => Promise<Provider>>> = {
  hello: async () => (await import('../providers/packs/hello.ts')).createHello(),
};
