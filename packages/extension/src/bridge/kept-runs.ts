/** Runs whose programs outlive a reload of the window. */
export const runsKey = 'fairlead.runs';

/** Questions that wait for an answer, or whose answer waits for who asked. */
export const questionsKey = 'fairlead.questions';
