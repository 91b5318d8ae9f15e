import { describePlaces } from './support/describe-places.ts';
import { straight } from './support/front.ts';

describePlaces(
  'under a prefix',
  straight('prefix', () => ({ basePath: '/company/fairlead' })),
);
