import type { Page } from './page.ts';

export const diedPage: Page = {
  status: 502,
  title: 'The server behind this page has ended the connection',
  lines: [
    'It may have stopped or be starting again; try once more in a moment',
    'If it stays like this, look at what it says in the terminal that it was started in.',
  ],
};

export const unreadablePage: Page = {
  status: 502,
  title: 'The server behind this page answered with something that is not HTTP',
  lines: [
    'It may speak another protocol on this port, such as HTTPS, or send headers that are too long',
    'If it should answer here, look at what it says in the terminal that it was started in.',
  ],
};

export const methodPage: Page = {
  status: 405,
  title: 'A WebSocket is asked for with GET',
  lines: ['Send this request without the header Upgrade, or with GET'],
};

export const crowdedPage: Page = {
  status: 503,
  title: 'Too many connections to this session are open',
  lines: ['Close some of its pages, or try again when others have ended'],
  retryAfterSeconds: 5,
};

export const framingPage: Page = {
  status: 400,
  title: 'This request cannot be passed on',
  lines: ['It does not say clearly where its body ends'],
};
