/** The Dockerfile and the manifests for Kubernetes: their settings are settings of the service, and they fit together. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/config.js';
import { Environment } from '../../src/config/environment.js';

const root = join(import.meta.dirname, '../..');
const file = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = <T>(name: string) => parse(file(`deploy/kubernetes/${name}.yaml`)) as T;

type Labels = Readonly<Record<string, string>>;
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}
interface Container {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly envFrom: readonly { readonly configMapRef?: { name: string }; readonly secretRef?: { name: string } }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}
interface Deployment {
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Labels };
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly securityContext: object;
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly Container[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

const { spec: deployment } = manifest<Deployment>('deployment');
const pod = deployment.template.spec;
const container = pod.containers[0] as Container;
const settings = manifest<{ metadata: { name: string }; data: Record<string, string> }>('settings');
const secret = manifest<{ metadata: { name: string }; stringData: Record<string, string> }>('secret.example');
const known = Object.keys(new Environment());
const optional = ['DATABASE_URL', 'JWT_SECRET', 'MAIL_URL', 'BOOTSTRAP_ADMIN_PASSWORD'];

test('settings are those of the service, and a service starts with them', () => {
  for (const name of Object.keys({ ...settings.data, ...secret.stringData })) {
    expect(file('.env.example'), name).toContain(`# ${name}=`);
  }
  expect(Object.keys(secret.stringData)).toEqual(optional);
  for (const value of Object.values(settings.data)) expect(typeof value).toBe('string');
  const config = loadConfig({ ...settings.data, ...secret.stringData }, '/app');
  expect(config).toMatchObject({ production: true, host: '0.0.0.0', trustProxy: 1, warnings: [] });
  const [http, metrics] = container.ports;
  expect(http).toEqual({ name: 'http', containerPort: config.port });
  expect(metrics).toEqual({ name: 'metrics', containerPort: config.metrics?.port });
  expect(container.envFrom).toEqual([
    { configMapRef: { name: settings.metadata.name } },
    { secretRef: { name: secret.metadata.name } },
  ]);
  expect(known).toContain('PORT');
  // preStop, requests, mails.
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(5 + (2 * config.shutdownGrace) / 1000);
});

test('pods run as an ordinary user on a read-only file system', () => {
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(container.volumeMounts.map(({ name }) => name)).toEqual(pod.volumes.map(({ name }) => name));
  expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp']);
});

test('probes: a pod without its database is not ready, but is not killed', () => {
  const { startupProbe, readinessProbe, livenessProbe } = container;
  expect(readinessProbe.httpGet).toEqual({ path: '/health/ready', port: 'http' });
  for (const probe of [startupProbe, livenessProbe]) {
    expect(probe.httpGet).toEqual({ path: '/health/live', port: 'http' });
  }
  expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBe(600);
});

test('service, disruption budget and ingress find the pods', () => {
  const { labels } = deployment.template.metadata;
  const service = manifest<{ metadata: { name: string }; spec: { selector: Labels; ports: object[] } }>('service');
  const budget = manifest<{ spec: { minAvailable: number; selector: object } }>('disruption-budget');
  expect(deployment.selector.matchLabels).toEqual(labels);
  expect(service.spec.selector).toEqual(labels);
  expect(service.spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
  expect(budget.spec.selector).toEqual({ matchLabels: labels });
  expect(budget.spec.minAvailable).toBeLessThan(deployment.replicas);
  expect(file('deploy/kubernetes/ingress.yaml')).toContain(`name: ${service.metadata.name}\n`);
});

test('all manifests are applied, and the secret is not in git', () => {
  const { resources } = manifest<{ resources: string[] }>('kustomization');
  const files = readdirSync(join(root, 'deploy/kubernetes')).filter((name) => name !== 'kustomization.yaml');
  const applied = files.map((name) => name.replace('secret.example', 'secret'));
  expect(new Set(resources)).toEqual(new Set(applied));
  expect(file('.gitignore')).toContain('deploy/kubernetes/secret.yaml\n');
  expect(file('.dockerignore')).toContain('.env\n');
});

test('the image runs as an ordinary user and asks for its readiness', () => {
  const lines = file('Dockerfile').split('\n');
  const last = lines.slice(lines.lastIndexOf('FROM node:22-slim'));
  expect(last).toContain('USER node');
  expect(last).toContain('CMD ["node", "dist/main.js"]');
  const [, variables = ''] = /^ENV (.+)$/m.exec(last.join('\n')) ?? [];
  const environment = Object.fromEntries(variables.split(' ').map((pair) => pair.split('='))) as Record<string, string>;
  expect(loadConfig(environment, '/app')).toMatchObject({ production: true, host: '0.0.0.0', dataDir: '/data' });
  const check = last[last.findIndex((line) => line.startsWith('HEALTHCHECK')) + 1] ?? '';
  expect(() => new Script((JSON.parse(check.slice(check.indexOf('['))) as string[])[2] ?? '')).not.toThrow();
});

test('what is copied into the image is not left out of its context', () => {
  const ignored = file('.dockerignore').split('\n');
  for (const name of [
    'package.json',
    'package-lock.json',
    '.npmrc',
    'src',
    'packages',
    'scripts',
    'functions',
    'nest-cli.json',
  ]) {
    expect(ignored).not.toContain(name);
  }
});
