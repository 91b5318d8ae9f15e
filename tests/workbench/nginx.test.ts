import { behindNginx } from './support/behind-nginx.ts';
import { describePlaces } from './support/describe-places.ts';

describePlaces('behind nginx', behindNginx('nginx'));
