/** Resolves when `register`'s callback is called, or when the time is up. */
export function within(limitMs: number, register: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    register(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
