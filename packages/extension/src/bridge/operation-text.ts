import type { StartedOperation } from '@fairlead/protocol';

const longest = 2_000;

/** What the user is told of an operation that waits for them. */
export function operationText(operation: StartedOperation): string {
  const { operationType, transitionDescription, uiState } = operation;
  const form = fieldsOf(uiState['formSpec']);
  const { role, context, method, url } = operationParams(operation);
  const lines = [
    textOf(form['title']) ?? nameOf(operation),
    textOf(form['description']) ?? transitionDescription,
    textOf(role) && `As ${textOf(role)}: ${JSON.stringify(context ?? {})}`,
    operationType === 'http_endpoint' && ['Answered here, or by HTTP:', method, url].filter(textOf).join(' '),
  ];
  return lines.filter(Boolean).join(' – ').slice(0, longest);
}

/** What a `lambda` wants to be done. */
export function lambdaCall(operation: StartedOperation): { command: unknown; args: unknown[] } {
  const { name, args } = operationParams(operation);
  return { command: name, args: Array.isArray(args) ? args : [] };
}

function nameOf({ transitionName, transitionId, operationType, operationId }: StartedOperation): string {
  return transitionName || transitionId || operationType || String(operationId);
}

function operationParams({ metadata }: StartedOperation): Record<string, unknown> {
  return fieldsOf(metadata['operationParams']);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
