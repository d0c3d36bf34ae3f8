export { createHost } from './host/host.ts';
