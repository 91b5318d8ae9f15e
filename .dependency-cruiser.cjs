// Who may import whom. The same table stands in docs/architecture.md.
const layers = {
  protocol: { packages: [], npm: ['zod'] },
  tunnel: { packages: [], npm: [] },
  executor: { packages: ['protocol'] },
  http: { packages: ['protocol'], npm: ['ws', 'zod'] },
  sandbox: { packages: ['executor', 'http', 'protocol'] },
  gateway: { packages: ['http', 'protocol', 'tunnel'] },
  client: { packages: ['protocol'] },
  cli: { packages: ['client', 'executor', 'extension', 'gateway', 'protocol', 'sandbox'] },
  extension: { packages: ['client', 'executor', 'http', 'protocol', 'sandbox', 'tunnel'] },
};

const source = (name) => `^packages/${name}/src/`;
const wires =
  '^(node:)?(http|https|http2|net|tls|dgram)$|node_modules/(ws|vscode|socket\\.io|express|fastify|undici)(/|$)|^vscode$';

const layerRules = Object.entries(layers).map(([name, { packages }]) => ({
  name: `${name}-imports-only-${packages.join('-and-') || 'itself'}`,
  severity: 'error',
  from: { path: `^packages/${name}/` },
  to: { path: '^packages/', pathNot: `^packages/(${[name, ...packages].join('|')})/` },
}));

const npmRules = Object.entries(layers)
  .filter(([, { npm }]) => npm !== undefined)
  .map(([name, { npm }]) => ({
    name: `${name}-uses-only-${npm.join('-and-') || 'nothing'}-from-npm`,
    severity: 'error',
    from: { path: source(name) },
    to: {
      dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer'],
      pathNot: `node_modules/(${npm.join('|') || 'nothing'})(/|$)`,
    },
  }));

module.exports = {
  forbidden: [
    ...layerRules,
    ...npmRules,
    {
      name: 'protocol-runs-anywhere',
      comment: 'protocol also runs in a browser',
      severity: 'error',
      from: { path: source('protocol') },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'executor-knows-no-wire',
      comment: 'a VS Code window stands on the same executor',
      severity: 'error',
      from: { path: source('executor') },
      to: { path: wires },
    },
    {
      name: 'only-the-docker-driver-knows-docker',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/gateway/(src|test)/drivers/docker/' },
      to: { path: 'node_modules/(@types/)?dockerode(/|$)' },
    },
    {
      name: 'only-the-extension-knows-vscode',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/extension/' },
      to: { path: '^vscode$|node_modules/(@types/)?vscode(/|$)' },
    },
    {
      name: 'packages-meet-by-name',
      comment: "import '@fairlead/<package>', not a path into it",
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/',
        pathNot: '^packages/$1/',
        dependencyTypesNot: ['aliased-workspace', 'npm', 'npm-dev'],
        dependencyTypes: ['local'],
      },
    },
    {
      name: 'source-does-not-import-tests',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { path: '/test/|^tests/|^bench/|^scripts/' },
    },
    {
      name: 'only-main-and-tests-import-main',
      comment: 'main reads argv and the environment; nothing stands on it but the command',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/[^/]+/(bin|test)/' },
      to: { path: '^packages/[^/]+/src/main\\.ts$' },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'everything-is-declared',
      comment: 'add it to the package.json of the package that imports it',
      severity: 'error',
      from: { path: '^packages/[^/]+/(src|bin)/' },
      // The editor itself brings `vscode`; what is installed are its types.
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'],
        pathNot: 'node_modules/@types/vscode/',
      },
    },
    { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
    { name: 'nothing-deprecated', severity: 'error', from: {}, to: { dependencyTypes: ['deprecated'] } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|tmp[^/]*)/' },
    tsPreCompilationDeps: true,
    detectJSDocImports: false,
    combinedDependencies: false,
    preserveSymlinks: false,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
    cache: false,
  },
};
