[(block) (list) (choice) (call)] @fold
