import { z } from 'zod';
import type { RouteDocument, RouteEntry } from './http/route.ts';

/** The OpenAPI 3.1 description of a route table. */
export async function describeRoutes(table: readonly RouteEntry[]): Promise<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const entry of table) {
    const { route } = await entry.load();
    const document = route.document(z);
    paths[entry.path] = {
      ...paths[entry.path],
      [entry.method.toLowerCase()]: operation(entry, route.summary, document),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Fairlead sandbox', version: '0.1.0' },
    components: {
      securitySchemes: { sessionKey: { type: 'apiKey', in: 'header', name: 'X-Session-API-Key' } },
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

function operation(entry: RouteEntry, summary: string, document: RouteDocument): Record<string, unknown> {
  const parameters = [
    ...[...entry.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => pathParameter(name!)),
    ...parametersOf('query', document.query),
    ...parametersOf('header', document.headers),
  ];
  const answers = entry.isPublic ? document.answers : { ...document.answers, ...forbidden };
  return {
    summary,
    ...(entry.isPublic ? { security: [] } : { security: [{ sessionKey: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(document.body && {
      requestBody: { required: true, content: content(document.body.contentType, document.body.schema) },
    }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, response(Number(status), answer)]),
    ),
  };
}

const forbidden: RouteDocument['answers'] = {
  403: { description: 'Invalid API Key, or a foreign Host or Origin' },
};

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
