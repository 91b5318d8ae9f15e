import { expect, test } from 'vitest';
import { Tickets } from '../src/index.ts';

test('a ticket gives back what it was issued for, once', () => {
  const tickets = new Tickets<{ owner: string }>();
  const ticket = tickets.issue({ owner: 'ada' });
  expect(tickets.redeem('made-up')).toBeUndefined();
  expect(tickets.redeem(ticket)).toEqual({ owner: 'ada' });
  expect(tickets.redeem(ticket)).toBeUndefined();
});

test('tickets end after their time, and old ones make room', () => {
  const tickets = new Tickets<string>();
  const ticket = tickets.issue('late', 0);
  expect(tickets.redeem(ticket, 30_000)).toBeUndefined();
  const first = tickets.issue('first', 1);
  for (let n = 0; n < 1000; n += 1) tickets.issue('more', 2);
  expect(tickets.redeem(first, 3)).toBeUndefined();
});
