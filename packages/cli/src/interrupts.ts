/** One Ctrl-C can come twice: from the terminal, and from a launcher that passes it on. */
const sameKeyPressMs = 300;

/** Takes Ctrl-C over until `stop`: the first is for the command, the second for this program. */
export function onInterrupts(handlers: { first(): void; second(): void | Promise<void> }): { stop(): void } {
  let lastAtMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  const onSignal = () => {
    const isSame = performance.now() - lastAtMs < sameKeyPressMs;
    lastAtMs = performance.now();
    if (isSame) return;
    count += 1;
    if (count === 1) handlers.first();
    else if (count === 2) void handlers.second();
  };
  process.on('SIGINT', onSignal);
  return { stop: () => void process.off('SIGINT', onSignal) };
}
