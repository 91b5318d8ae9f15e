import { describePlaces } from './support/describe-places.ts';
import { straight } from './support/front.ts';

describePlaces('by paths of the gateway', straight('path'));
