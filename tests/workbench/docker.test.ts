import { describe } from 'vitest';
import { dockerTags, useDockerEngine } from '../support/docker.ts';
import { dockerImages } from '../support/docker-images.ts';
import { testDevelopmentServer } from './support/development-server-test.ts';
import { testEditor } from './support/editor-tests.ts';
import { straight } from './support/front.ts';
import { stageTags, stageTimeoutMs, useStage } from './support/stage.ts';

const tags = [...stageTags, ...dockerTags];

describe('in a container without an editor of its own:', { tags, timeout: stageTimeoutMs }, () => {
  const engine = useDockerEngine();
  const stage = useStage(
    straight('docker', () => ({
      defaultDriver: 'docker',
      dockerSocket: engine.socket,
      defaultImage: dockerImages.debian,
    })),
    tags,
  );
  testEditor(stage);
  testDevelopmentServer(stage);
});
