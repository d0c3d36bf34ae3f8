/** Does some work, and something else when it is over, however it ends; makes no promise where the work makes none. */
export function whenOver(work: () => void | Promise<void>, over: () => void): void | Promise<void> {
  let done: void | Promise<void>;
  try {
    done = work();
  } catch (error) {
    over();
    throw error;
  }
  if (!(done instanceof Promise)) return over();
  return done.then(over, (error: unknown) => {
    over();
    throw error;
  });
}
