import { expect, test } from 'vitest';
import { ByteBudget } from '../../src/runtime/byte-budget.ts';

const never = new AbortController().signal;

test('work begins when there is room for it, in the order of asking', async () => {
  const budget = new ByteBudget(10);
  const begun: string[] = [];
  const work = (name: string, bytes: number) => {
    const end = Promise.withResolvers<void>();
    const done = budget.use(bytes, never, () => {
      begun.push(name);
      return end.promise;
    });
    return async () => {
      end.resolve();
      await done;
    };
  };
  const endFirst = work('first', 6);
  const endSecond = work('second', 6);
  const endThird = work('third', 2);
  await Promise.resolve();
  expect(begun).toEqual(['first']);
  await endFirst();
  await Promise.resolve();
  expect(begun).toEqual(['first', 'second', 'third']);
  await Promise.all([endSecond(), endThird()]);
  await budget.use(10, never, () => Promise.resolve());
});

test('room comes back when work fails, and nobody waits behind one who has given up', async () => {
  const budget = new ByteBudget(10);
  const end = Promise.withResolvers<never>();
  const failing = budget.use(8, never, () => end.promise);
  const cancellation = new AbortController();
  const cancelled = budget.use(10, cancellation.signal, () => Promise.resolve('too much'));
  const small = budget.use(2, never, () => Promise.resolve('small'));
  cancellation.abort(new Error('given up'));
  await expect(cancelled).rejects.toThrow('given up');
  expect(await small).toBe('small');
  end.reject(new Error('failed'));
  await expect(failing).rejects.toThrow('failed');
  await budget.use(10, never, () => Promise.resolve());
  await expect(budget.use(1, AbortSignal.abort(new Error('late')), () => Promise.resolve())).rejects.toThrow(
    'late',
  );
});
