// Loaded into a subject before it: tells the one who started it how much memory is in use after a collection.

process.on('message', () => {
  globalThis.gc();
  globalThis.gc();
  process.send(process.memoryUsage());
});
process.channel?.unref();
