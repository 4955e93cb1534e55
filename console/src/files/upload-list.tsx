/** Uploads with their progress, and what was refused of them. */
import { Button, Group, Paper, Progress, Stack, Text as Paragraph, VisuallyHidden } from '@mantine/core';
import { Link } from 'react-router';
import { addressOf } from '../data/grid-row.js';
import { useText, type Text } from '../i18n/text.js';
import { sizeText } from './file-size.js';
import './files.css';
import { isOpen, type UploadJob, type UploadQueue } from './upload-queue.js';
import { useUploads } from './use-uploads.js';

export function UploadList({ queue }: { readonly queue: UploadQueue }) {
  const text = useText();
  const jobs = useUploads(queue);
  if (jobs.length === 0) return null;
  const count = (state: UploadJob['state']) => jobs.filter((job) => job.state === state).length;
  const [stored, failed, open] = [count('stored'), count('failed'), jobs.filter(isOpen).length];
  return (
    <Paper withBorder p="xs" component="section" aria-label={text('files.uploads')}>
      <Group justify="space-between">
        <Paragraph size="sm" fw={600} role="status">
          {text('files.uploaded', { count: stored, smart_count: jobs.length })}
          {failed > 0 && ` · ${text('files.failed', { smart_count: failed })}`}
        </Paragraph>
        {open > 0 ? (
          <Button size="compact-xs" variant="subtle" onClick={() => queue.stopAll()}>
            {text('files.stop_all')}
          </Button>
        ) : (
          <Button size="compact-xs" variant="subtle" onClick={() => queue.clear()}>
            {text('app.close')}
          </Button>
        )}
      </Group>
      <Stack component="ul" gap={4} className="upload-list">
        {jobs.map((job) => (
          <UploadRow key={job.key} job={job} queue={queue} />
        ))}
      </Stack>
    </Paper>
  );
}

function UploadRow({ job, queue }: { readonly job: UploadJob; readonly queue: UploadQueue }) {
  const text = useText();
  const { key, content, state, sent, fault, file } = job;
  const { name } = content;
  const percent = Math.floor(sent * 100);
  return (
    <li className="upload-row">
      <span className="upload-name" title={name}>
        {file ? <Link to={addressOf(file.kind_id, file.id)}>{file.name}</Link> : name}
      </span>
      <span className="upload-state">
        {state === 'sending' && percent < 100 && (
          <Progress value={percent} aria-label={text('files.progress', { name })} flex={1} miw={60} />
        )}
        {fault !== undefined ? (
          <span className="fault" role="alert">
            <VisuallyHidden>{name}: </VisuallyHidden>
            {fault}
          </span>
        ) : (
          <span>{stateText(job, percent, text)}</span>
        )}
      </span>
      {isOpen(job) && (
        <Button
          size="compact-xs"
          variant="subtle"
          aria-label={text('files.action', { action: text('app.cancel'), name })}
          onClick={() => queue.stop(key)}
        >
          {text('app.cancel')}
        </Button>
      )}
      {(state === 'failed' || state === 'stopped') && (
        <Button
          size="compact-xs"
          variant="subtle"
          aria-label={text('files.action', { action: text('app.retry'), name })}
          onClick={() => queue.retry(key)}
        >
          {text('app.retry')}
        </Button>
      )}
    </li>
  );
}

function stateText({ state, content }: UploadJob, percent: number, text: Text): string {
  if (state === 'sending') return percent < 100 ? text('files.percent', { percent }) : text('files.storing');
  return state === 'waiting' || state === 'stopped' ? text(`files.state_${state}`) : sizeText(content.size);
}
