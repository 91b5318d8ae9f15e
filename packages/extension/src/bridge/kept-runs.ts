/** Runs whose programs outlive a reload of the window. */
export const runsName = 'runs';

/** Questions that wait for an answer, or whose answer waits for who asked. */
export const questionsName = 'questions';
