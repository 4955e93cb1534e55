/** Why something is not offered to the member that is signed in. */
export const rights = {
  rights: {
    no_read: 'You may not read units of “%{kind}”. An administrator can change that.',
    no_create: 'You may not create units of “%{kind}”. An administrator can change that.',
    no_update: 'You may not change units of “%{kind}”. An administrator can change that.',
    no_delete: 'You may not delete units of “%{kind}”. An administrator can change that.',
    no_update_unit: 'You may not change this unit.',
    no_delete_unit: 'You may not delete this unit.',
    no_members: 'You may not create members. An administrator can change that.',
    read_only: 'You may read these fields, and not change them.',
    read_only_unit: 'You may read this unit, and not change it.',
    new_definition: 'You may not make definitions of this type. An administrator can change that.',
    change_definition: 'You may not change definitions of this type. An administrator can change that.',
    delete_definition: 'You may not delete definitions of this type. An administrator can change that.',
  },
};
