export interface NginxSettings {
  /** Where the gateway listens, as nginx's machine reaches it: `127.0.0.1:3000`. */
  upstream: string;
  /** Where browsers and clients reach it. */
  publicUrl: URL;
  /** Of the public URL; empty for none. */
  basePath: string;
  /** Below which every place has a host of its own. */
  domain: string | undefined;
  certificate: string;
  certificateKey: string;
}

/** One configuration for all sessions there will ever be. `deploy/nginx/fairlead.conf` is what it is by default. */
export function nginxConfiguration(settings: NginxSettings): string {
  const { upstream } = settings;
  return `# Fairlead behind nginx.
#
# This is all there is for every session that will ever be: the gateway knows from the path, or from the host, which session
# and which of its servers is meant. Nothing here has to be changed or loaded again when sessions come and go.
#
# Put it where nginx takes in files of its http part (Debian: /etc/nginx/conf.d/fairlead.conf), then
#   nginx -t && nginx -s reload
# The gateway that belongs to it:
#   ${serveCommand(settings)}

# Who asks for a WebSocket gets one; everything else shares kept connections.
map $http_upgrade $fairlead_connection {
  default upgrade;
  ''      '';
}

# Without queries, which may hold a ticket or the signature of a shared link.
log_format fairlead '$remote_addr [$time_local] "$request_method $host$uri" $status $body_bytes_sent $request_time';

upstream fairlead {
  server ${upstream};
  keepalive 64;
}

${servers(settings).join('\n')}`;
}

interface Server {
  names: string[];
  namesRemark: string | undefined;
  location: string;
  locationRemark: string | undefined;
}

function servers(settings: NginxSettings): string[] {
  const { publicUrl, basePath, domain } = settings;
  const name = publicUrl.hostname;
  const wildcard = domain === undefined ? [] : [`*.${domain}`];
  const front: Server = {
    names: [name],
    namesRemark: domain === undefined ? `with --domain ${name}: ${name} *.${name}` : undefined,
    location: `${basePath}/`,
    locationRemark: basePath === '' ? 'with --base-path /fairlead: location /fairlead/ {' : undefined,
  };
  // Places with hosts of their own stand at the root of them.
  const parts: Server[] =
    basePath === '' || domain === undefined
      ? [{ ...front, names: [name, ...wildcard] }]
      : [front, { names: wildcard, namesRemark: undefined, location: '/', locationRemark: undefined }];
  const isTls = publicUrl.protocol === 'https:';
  const redirect = isTls && publicUrl.port === '' ? [toHttps([name, ...wildcard])] : [];
  return [...redirect, ...parts.map((part) => server(part, settings))];
}

function toHttps(names: string[]): string {
  return `server {
  listen 80;
  listen [::]:80;
  server_name ${names.join(' ')};
  return 308 https://$host$request_uri;
}
`;
}

function server({ names, namesRemark, location, locationRemark }: Server, settings: NginxSettings): string {
  return `server {
${listening(settings)}
  server_name ${names.join(' ')};${remark(namesRemark)}
  access_log /var/log/nginx/fairlead.log fairlead;
  # As long as the gateway takes them: cookies of many apps in one line.
  large_client_header_buffers 4 16k;

  location ${location} {${remark(locationRemark)}
${passing}
  }
}
`;
}

function remark(text: string | undefined): string {
  return text === undefined ? '' : ` # ${text}`;
}

function listening({ publicUrl, certificate, certificateKey }: NginxSettings): string {
  const tls = `ssl_certificate ${certificate};
  ssl_certificate_key ${certificateKey};`;
  if (publicUrl.protocol === 'https:') {
    const port = publicUrl.port || '443';
    return `  listen ${port} ssl http2;
  listen [::]:${port} ssl http2;
  ${tls}`;
  }
  const port = publicUrl.port || '80';
  return `  listen ${port};
  listen [::]:${port};
  # For TLS take these four lines in place of the two above, with your certificate, and start the gateway with an https
  # address. With --domain the certificate must also be for *.DOMAIN.
  # listen 443 ssl http2;
  # listen [::]:443 ssl http2;
  # ${tls.replace('\n  ', '\n  # ')}`;
}

const passing = `    # No path behind the name: what was asked for reaches the gateway byte for byte.
    proxy_pass http://fairlead;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $fairlead_connection;
    proxy_redirect off;

    # Output, events and downloads reach the browser when they are sent, and uploads of any size the gateway.
    proxy_buffering off;
    proxy_request_buffering off;
    client_max_body_size 0;
    gzip off;
    # Answers of apps can have more headers than 4 kB.
    proxy_buffer_size 32k;
    proxy_buffers 8 32k;

    # The first ends WebSockets on which nothing is sent, and requests that are answered late; the others stalled transfers.
    proxy_read_timeout 7d;
    proxy_send_timeout 1h;
    send_timeout 1h;
    client_body_timeout 1h;
    # A peer that is gone is noticed nevertheless.
    proxy_socket_keepalive on;

    # What a session's app answers must not give orders to nginx, such as to send one of its internal files.
    proxy_ignore_headers X-Accel-Redirect X-Accel-Expires X-Accel-Limit-Rate X-Accel-Buffering X-Accel-Charset;`;

function serveCommand({ upstream, publicUrl, domain }: NginxSettings): string {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(upstream) ?? [];
  return [
    'fairlead serve',
    ...(host === '127.0.0.1' ? [] : [`--host ${host.replaceAll(/[[\]]/g, '')}`]),
    `--port ${port}`,
    `--public-url ${publicUrl.href.replace(/\/$/, '')}`,
    ...(domain === undefined ? [] : [`--domain ${domain}`]),
  ].join(' ');
}
