/** What a language model is known by; VS Code's own objects have all of it. */
export interface ModelFacts {
  id: string;
  name: string;
  vendor: string;
  family: string;
}

/**
 * The model that is called so: exactly (`gpt-4o`, `copilot/gpt-4o`, a name), else the first one that has it as a part of its id, family or
 * name, else the first of all. The result of the chat tells which one it was.
 */
export function chooseModel<Model extends ModelFacts>(
  models: readonly Model[],
  wanted: string,
): Model | undefined {
  const text = wanted.trim().toLowerCase();
  if (text === '') return models[0];
  const exact = models.find((model) => namesOf(model).includes(text));
  return exact ?? models.find((model) => namesOf(model).some((name) => name.includes(text))) ?? models[0];
}

function namesOf({ id, name, vendor, family }: ModelFacts): string[] {
  return [id, family, name, `${vendor}/${id}`, `${vendor}/${family}`].map((text) => text.toLowerCase());
}
