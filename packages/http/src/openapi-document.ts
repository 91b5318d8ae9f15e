import { z } from 'zod';
import type { RouteDocument, RouteEntry } from './route.ts';

export interface ApiOptions {
  title: string;
  /** OpenAPI security schemes by name: any one of them opens what is not public. */
  security: Record<string, Record<string, unknown>>;
  /** What every route that is not public may answer besides its own. */
  refusals?: RouteDocument['answers'];
}

export async function openApiDocument<Context extends object>(
  table: readonly RouteEntry<Context>[],
  options: ApiOptions,
): Promise<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const entry of table) {
    const { route } = await entry.load();
    const document = route.document(z);
    paths[entry.path] = {
      ...paths[entry.path],
      [entry.method.toLowerCase()]: operation(entry, route.summary, document, options),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: options.title, version: '0.1.0' },
    components: {
      securitySchemes: options.security,
      schemas: { Failure: failureSchema },
    },
    paths,
  };
}

const failureSchema = {
  type: 'object',
  properties: { detail: { type: 'string' }, errors: { type: 'string' } },
  required: ['detail'],
};

function operation(
  entry: RouteEntry<never>,
  summary: string,
  document: RouteDocument,
  { security, refusals }: ApiOptions,
): Record<string, unknown> {
  const parameters = [
    ...[...entry.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => pathParameter(name!)),
    ...parametersOf('query', document.query),
    ...parametersOf('header', document.headers),
  ];
  const answers = entry.isPublic ? document.answers : { ...document.answers, ...refusals };
  return {
    summary,
    security: entry.isPublic ? [] : Object.keys(security).map((name) => ({ [name]: [] })),
    ...(parameters.length > 0 && { parameters }),
    ...(document.body && {
      requestBody: { required: true, content: content(document.body.contentType, document.body.schema) },
    }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, response(Number(status), answer)]),
    ),
  };
}

function response(status: number, answer: RouteDocument['answers'][number]): Record<string, unknown> {
  const { description, schema, contentType = 'application/json' } = answer;
  if (status >= 400) {
    const failure = { schema: { $ref: '#/components/schemas/Failure' } };
    return { description, content: { 'application/json': failure } };
  }
  return { description, content: schema ? content(contentType, schema) : { [contentType]: {} } };
}

function content(contentType: string, schema: z.ZodType): Record<string, unknown> {
  return { [contentType]: { schema: jsonSchema(schema) } };
}

function pathParameter(name: string): Record<string, unknown> {
  return { name, in: 'path', required: true, schema: { type: 'string' } };
}

function parametersOf(place: 'query' | 'header', schema: z.ZodObject | undefined): Record<string, unknown>[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: !(field as z.ZodType).safeParse(undefined).success,
    schema: jsonSchema(field as z.ZodType),
  }));
}

function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
