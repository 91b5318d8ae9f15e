import { behindNginxWithHosts } from './support/behind-nginx.ts';
import { describePlaces } from './support/describe-places.ts';

describePlaces('on hosts of their own, with TLS', behindNginxWithHosts('hosts'));
