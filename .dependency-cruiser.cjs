/** The layers of docs/architecture.md, held by `npm run lint`. A layer imports only from lower ones; islands never import each other. */
const layers = [
  ['shared', 'config'],
  ['filter', 'model'],
  ['sql', 'kit'],
  ['database', 'http', 'mail'],
  ['tenancy', 'outgoing'],
  ['catalog', 'access'],
  ['run'],
  ['unit'],
  ['changes'],
  ['file'],
  [
    'agent',
    'kind',
    'group',
    'parameter',
    'link',
    'batch',
    'transfer',
    'model-file',
    'auth',
    'metrics',
    'doc',
    'console',
  ],
  ['function', 'webhook'],
  ['workers'],
  ['cli'],
];
const folder = (names) => `^src/(${names.join('|')})/`;

const upward = layers.slice(0, -1).map((names, level) => ({
  name: `layer-${level}-imports-only-lower`,
  comment: `${names.join(', ')} may not import from a higher layer`,
  severity: 'error',
  from: { path: folder(names) },
  to: { path: folder(layers.slice(level + 1).flat()) },
}));
const islands = layers[10].map((name) => ({
  name: `island-${name}`,
  comment: `${name} is an island: it never imports another one`,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: { path: folder(layers[10].filter((other) => other !== name)) },
}));

/** `packages/` has workspaces that know nothing of the service. It uses each in one layer; the client is a text to it. */
const packages = [
  ['embedded-postgres', 'database'],
  ['client', 'none'],
];
const apart = packages.flatMap(([name, layer]) => [
  { name: `${name}-is-on-its-own`, severity: 'error', from: { path: `^packages/${name}/` }, to: { path: '^src/' } },
  {
    name: `${name}-is-used-in-${layer}`,
    severity: 'error',
    from: { path: '^src/', pathNot: `^src/${layer}/` },
    to: { path: `^packages/${name}/` },
  },
]);

/** The folders inside a layer, lowest first; the layer's own files come last and may import from all of them. */
const rooms = {
  unit: ['draft', 'query', 'store', 'table', 'remote'],
  function: ['declare', 'sandbox', 'load', 'run'],
  catalog: ['model', 'pattern', 'indexes', 'definition', 'session', 'project'],
};
const inward = Object.entries(rooms).flatMap(([layer, names]) =>
  names.map((name, level) => ({
    name: `${layer}-${name}-imports-only-lower`,
    comment: `src/${layer}/${name} may not import from the folders above it, or from the files beside them`,
    severity: 'error',
    from: { path: `^src/${layer}/${name}/` },
    to: { path: `^src/${layer}/(${[...names.slice(level + 1).map((higher) => `${higher}/`), '[^/]+$'].join('|')})` },
  })),
);

module.exports = {
  forbidden: [
    ...upward,
    ...islands,
    ...inward,
    ...apart,
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-circles-of-folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
    {
      name: 'root-is-the-composition-root',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: '^src/(cli|workers)/' },
      to: { path: '^src/[^/]+\\.ts$' },
    },
    {
      name: 'pure-layers-do-no-io',
      severity: 'error',
      from: { path: '^src/(shared|filter|model|sql|kit)/' },
      to: { path: '^(node:)?(fs|net|http|https|child_process|fs/promises)$|node_modules/(pg|typeorm|@nestjs)/' },
    },
    {
      name: 'postgres-only-in-database',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/' },
      to: { path: 'node_modules/(pg|typeorm)/' },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
