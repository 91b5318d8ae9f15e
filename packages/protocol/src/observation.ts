import { z } from 'zod';
import { editObservationSchema } from './actions/edit.ts';
import { errorObservationSchema } from './actions/error.ts';
import { readObservationSchema } from './actions/read.ts';
import { runObservationSchema } from './actions/run.ts';
import { vscodeObservationSchema } from './actions/vscode.ts';
import { writeObservationSchema } from './actions/write.ts';

/** Every answer a runtime gives. Extras hold declared fields only: stock clients refuse any other. */
export const observationSchema = z.discriminatedUnion('observation', [
  runObservationSchema,
  readObservationSchema,
  writeObservationSchema,
  editObservationSchema,
  vscodeObservationSchema,
  errorObservationSchema,
]);
export type Observation = z.infer<typeof observationSchema>;
