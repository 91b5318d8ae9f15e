import { answerJson, checkQuery, type HttpRoute, HttpError } from '@fairlead/http';
import { z } from 'zod';
import type { IdentifiedContext } from '../context.ts';

/** Clients put this before the names of the images that they would build. */
const registryPrefix = 'fairlead-build';
const imageQuery = z.object({ image: z.string() });

export const prefixRoute: HttpRoute<IdentifiedContext> = {
  summary: 'Where built images would go',
  document: (z) => ({
    answers: { 200: { description: 'A name', schema: z.object({ registry_prefix: z.string() }) } },
  }),
  handle: ({ response }) => answerJson(response, { registry_prefix: registryPrefix }),
};

/**
 * Other drivers have no images, so that none is missing and nothing needs to be built for them. The docker driver
 * pulls what it has not got, except what only a build could make.
 */
export const existsRoute: HttpRoute<IdentifiedContext> = {
  summary: 'Whether a runtime can be started with that image',
  document: (z) => ({
    query: imageQuery,
    answers: {
      200: {
        description: '`image` only if it exists; its figures are not known',
        schema: z.object({
          exists: z.boolean(),
          image: z.object({ upload_time: z.string(), image_size_bytes: z.int() }).optional(),
        }),
      },
      422: { description: 'No `image`' },
    },
  }),
  handle({ response, query, gateway }) {
    const { image } = checkQuery(imageQuery, query);
    const exists = gateway.defaultDriver !== 'docker' || !image.startsWith(`${registryPrefix}/`);
    answerJson(response, exists ? { exists, image: { upload_time: '', image_size_bytes: 0 } } : { exists });
  },
};

export const buildRoute: HttpRoute<IdentifiedContext> = {
  summary: 'Building images is not offered',
  document: () => ({ answers: { 501: { description: 'Always, with what to do instead' } } }),
  handle() {
    throw new HttpError(
      501,
      'This gateway builds no images: set SANDBOX_RUNTIME_CONTAINER_IMAGE to an image that has bash',
    );
  },
};
