import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whether the suites of a file use a real web VS Code. */
export function isEditorSuite(path: string): boolean {
  return /\/tests\/(editor-server|window|workbench)\//.test(path);
}

/** Whether they need our extension as it is installed by a person. */
export function isWindowSuite(path: string): boolean {
  return /\/tests\/window\//.test(path);
}

/** Lets them come last: a browser and an editor leave little of the processor to suites with time limits. */
export class EditorSuitesLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLast = ({ moduleId }: TestSpecification) => isEditorSuite(moduleId);
    return [...sorted.filter((file) => !isLast(file)), ...sorted.filter(isLast)];
  }
}
