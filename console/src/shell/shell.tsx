/** The frame of all pages: header, list of kinds, messages. */
import { Anchor, AppShell, Burger, Button, Group, Menu, Text as Paragraph } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { Suspense, useEffect, useRef } from 'react';
import { Link, Outlet, useLocation } from 'react-router';
import { session } from '../api/session.js';
import { useText } from '../i18n/text.js';
import { documentAddress } from './document-link.js';
import { KindList } from './kind-list.js';
import { Messages } from './messages.js';
import { Waiting } from './page-states.js';
import { signOut } from './sign-out.js';
import { useMe } from './use-me.js';
import { usePageChange } from './use-page-change.js';
import { useCurrentRights } from './use-rights.js';

const SCHEMES: readonly MantineColorScheme[] = ['light', 'dark', 'auto'];

export function Shell() {
  const text = useText();
  const [isOpen, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  const content = useRef<HTMLElement>(null);
  useEffect(close, [close, pathname]);
  useCurrentRights();
  usePageChange(content, pathname, text('app.name'));
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      transitionDuration={0}
    >
      <a className="skip" href="#content" onClick={skipToContent}>
        {text('app.skip')}
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap" gap="sm">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={text('menu.open')}
              aria-expanded={isOpen}
            />
            <Anchor component={Link} to="/" fw={700} underline="never" c="inherit">
              {text('app.name')}
            </Anchor>
            <Paragraph c="dimmed" size="sm" truncate>
              {session.project}
            </Paragraph>
          </Group>
          <AccountMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={text('menu.kinds')} data-closed={isOpen ? undefined : true}>
        <KindList />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} ref={content}>
        <Suspense fallback={<Waiting />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      <Messages />
    </AppShell>
  );
}

/** The address is a hash already, so that the link cannot have one. */
function skipToContent(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

function AccountMenu() {
  const text = useText();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { data: member } = useMe();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs">
          {member?.username ?? text('menu.account')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{text('theme.label')}</Menu.Label>
        {SCHEMES.map((scheme) => (
          <Menu.Item
            key={scheme}
            aria-current={scheme === colorScheme}
            fw={scheme === colorScheme ? 700 : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {text(`theme.${scheme}`)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/account">
          {text('members.account')}
        </Menu.Item>
        <Menu.Item component={Link} to="/account/sign-in">
          {text('ways.title')}
        </Menu.Item>
        <Menu.Item component="a" href={documentAddress()} target="_blank" rel="noopener">
          {text('app.documentation')}
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()}>{text('sign_in.sign_out')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
