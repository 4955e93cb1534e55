/** Shows both contents of a file that somebody else has replaced in the meantime, and lets one choose. */
import { Button, Group, Modal, SimpleGrid, Stack, Text as Paragraph } from '@mantine/core';
import type { FileUnit } from '../api/files.js';
import { useText } from '../i18n/text.js';
import { FilePreview } from './file-preview.js';
import { sizeText } from './file-size.js';

interface ContentConflictProps {
  readonly mine: File;
  readonly theirs: FileUnit;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}

export function ContentConflict({ mine, theirs, onMine, onTheirs }: ContentConflictProps) {
  const text = useText();
  return (
    <Modal opened onClose={onTheirs} size="lg" title={text('files.conflict')}>
      <Stack>
        <Paragraph size="sm">{text('files.conflict_text')}</Paragraph>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Stack gap={4}>
            <Paragraph size="sm" fw={600}>
              {text('unit.conflict_yours')}
            </Paragraph>
            <Paragraph size="sm">
              {mine.name} · {sizeText(mine.size)}
            </Paragraph>
          </Stack>
          <Stack gap={4}>
            <Paragraph size="sm" fw={600}>
              {text('unit.conflict_theirs')}
            </Paragraph>
            <FilePreview file={theirs} />
            <Paragraph size="sm">
              {theirs.media_type} · {sizeText(theirs.bytes)}
            </Paragraph>
          </Stack>
        </SimpleGrid>
        <Group justify="end">
          <Button variant="default" onClick={onTheirs}>
            {text('files.conflict_theirs')}
          </Button>
          <Button onClick={onMine}>{text('files.conflict_again')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
