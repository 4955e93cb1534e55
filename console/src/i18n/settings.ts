/** The texts about the settings of the project. */
export const settings = {
  settings: {
    title: 'Settings of the project',
    files: 'Files',
    image_sizes: 'Sizes of pictures',
    image_sizes_help:
      'Each as name:widthxheight:mode, with commas between them. The mode is cover, contain or inside; 0 leaves a side free. The console shows thumb and large. “default” brings back the usual ones.',
    originals: 'Who sees pictures as they were uploaded',
    originals_help: 'In sizes, a picture has no metadata, such as the place where it was taken.',
    originals_all: 'All who may read them',
    originals_owner: 'Their owners and administrators; others see them in sizes',
    file_url_seconds: 'Addresses open a file for so many seconds',
    file_url_seconds_help: 'Where it is not said when they are made.',
    save: 'Save',
    saved: 'Saved',
    others: 'All other settings of the project are set on the server, by “project set”.',
  },
};
