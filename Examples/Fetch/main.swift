print("Fetch")
