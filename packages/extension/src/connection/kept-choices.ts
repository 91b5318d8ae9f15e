/** The user's choice that this workspace connects by itself when it is opened. */
export const reconnectName = 'reconnect';

/** Names of the agents that were at work in this window when it closed, and were not told to leave. */
export const leftAgentsName = 'left-agents';

/** By which a gateway knows the window again. */
export const windowIdName = 'window-id';

/** Sessions that the user ended while their gateway could not be told. */
export const endedSessionsName = 'ended-sessions';
