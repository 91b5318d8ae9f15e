/** For suites with sandboxes of the local driver. The time is for machines that have much else to do. */
export const needs = { tags: ['bwrap', 'tmux'], timeout: 60_000 };
