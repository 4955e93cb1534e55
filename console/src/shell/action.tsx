/** Buttons and menu items of what may be refused to the member: then they do nothing, and say why. */
import { Button, Menu, Text as Paragraph, Tooltip, VisuallyHidden, type ButtonProps } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { Link } from 'react-router';

interface Action {
  /** Why it is not possible; undefined if it is. */
  readonly reason: string | undefined;
  /** A page that it leads to. */
  readonly to?: string;
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

type ActionButtonProps = Action & Pick<ButtonProps, 'size' | 'variant' | 'color' | 'loading'>;

/** Stays in the order of the keyboard, so that its reason can be read there too. */
export function ActionButton({ reason, to, onClick, children, ...look }: ActionButtonProps) {
  const id = useId();
  if (reason === undefined) {
    return to === undefined ? (
      <Button {...look} {...(onClick && { onClick })}>
        {children}
      </Button>
    ) : (
      <Button {...look} component={Link} to={to}>
        {children}
      </Button>
    );
  }
  return (
    <>
      <Tooltip
        label={reason}
        multiline
        maw={320}
        withinPortal={false}
        floatingStrategy="fixed"
        events={{ hover: true, focus: true, touch: true }}
      >
        <Button {...look} data-disabled aria-disabled aria-describedby={id}>
          {children}
        </Button>
      </Tooltip>
      <VisuallyHidden id={id}>{reason}</VisuallyHidden>
    </>
  );
}

/** The same in a menu, with the reason below. */
export function ActionItem({ reason, onClick, color, children }: Omit<Action, 'to'> & { color?: string }) {
  if (reason === undefined) {
    return (
      <Menu.Item {...(onClick && { onClick })} {...(color !== undefined && { color })}>
        {children}
      </Menu.Item>
    );
  }
  return (
    <Menu.Item ref={tellDisabled} closeMenuOnClick={false}>
      {children}
      <Paragraph size="xs" c="dimmed" maw={260}>
        {reason}
      </Paragraph>
    </Menu.Item>
  );
}

/** The items that the library calls disabled are passed over by its arrow keys, and so is their reason. */
function tellDisabled(item: HTMLElement | null): void {
  item?.setAttribute('aria-disabled', 'true');
}
