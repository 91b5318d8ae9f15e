import type { ApiOptions } from './openapi-document.ts';
import type { RouteEntry } from './route.ts';

/** The OpenAPI 3.1 description of a route table. Needs zod whole, so it is loaded when it is asked for. */
export async function describeRoutes<Context extends object>(
  table: readonly RouteEntry<Context>[],
  options: ApiOptions,
): Promise<Record<string, unknown>> {
  const { openApiDocument } = await import('./openapi-document.ts');
  return openApiDocument(table, options);
}
