/** The same items, once the first is there: what fails at once fails before anything is answered. */
export async function begun<Item>(source: AsyncIterable<Item>): Promise<AsyncGenerator<Item>> {
  const iterator = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  return rest(iterator, first);
}

async function* rest<Item>(iterator: AsyncIterator<Item>, first: IteratorResult<Item>): AsyncGenerator<Item> {
  try {
    for (let next = first; next.done !== true; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
